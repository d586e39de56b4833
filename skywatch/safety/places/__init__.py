"""What is learnt by place, and regions of disturbed navigation."""
