"""The lab: every picture as a snippet that a student reads in a minute, and as a notebook.

Both hold the numbers of the screen, and compute from them what the screen shows. The code is that of
`lessons`, which are files that run as they are.
"""
