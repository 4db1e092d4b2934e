"""What people look at: figures, pages, files."""
