"""The contract with the floor as documents: JSON Schemas, an AsyncAPI document, and what may change in them."""
