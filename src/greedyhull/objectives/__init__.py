"""What is minimised: losses after designs, quadratics, functions, sums and streams."""
