"""Item-response models: outputs with qualities of their own, drawn by Gibbs sampling."""
