"""Do judges agree, and which of them are to be doubted?"""
