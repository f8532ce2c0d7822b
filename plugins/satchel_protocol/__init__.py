"""The plugin protocol of Satchel for backends in Python: requests, answers, errors."""
