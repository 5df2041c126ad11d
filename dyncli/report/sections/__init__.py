"""What each section of the page says: facts of the rest of dyn, put into words, rows and drawings for its template."""
