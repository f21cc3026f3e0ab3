# `torchsummary`: what a model consists of.


def summary(model, *arguments, **options):
    return None


summary_string = summary
