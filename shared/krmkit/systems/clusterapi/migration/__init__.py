"""Objects of v1beta1 as v1beta2, in their text: fields, references, patches; comments and order stay."""
