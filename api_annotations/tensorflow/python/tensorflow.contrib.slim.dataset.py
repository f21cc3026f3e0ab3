# The data sets of `slim`.


class Dataset:
    def __init__(self, data_sources=None, reader=None, decoder=None, num_samples=None, items_to_descriptions=None, **kwargs):
        self.data_sources, self.reader, self.decoder, self.num_samples = data_sources, reader, decoder, num_samples
        self.items_to_descriptions = items_to_descriptions
        self.num_classes, self.labels_to_names = kwargs.get("num_classes"), kwargs.get("labels_to_names")
