"""What Loopscope teaches with: the lecture's numbers and formulas."""
