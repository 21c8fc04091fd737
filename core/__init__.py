"""Everything that Loopscope computes. Nothing in this package imports Streamlit."""
