"""Do judges agree, and which of them are careless or biased?"""
