"""What the singer backend is tested with: a tap that does as it is told."""
