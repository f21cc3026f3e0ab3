# What a trainer of Transformers is told: its settings by name, and their defaults where shapes or times depend on them.
class TrainingArguments:
    def __init__(self, output_dir=None, per_device_train_batch_size=8, per_device_eval_batch_size=8, num_train_epochs=3.0, max_steps=-1,
                 learning_rate=5e-5, weight_decay=0.0, gradient_accumulation_steps=1, dataloader_drop_last=False, remove_unused_columns=True,
                 label_names=None, seed=42, **options):
        self.output_dir = output_dir
        self.per_device_train_batch_size = self.train_batch_size = per_device_train_batch_size
        self.per_device_eval_batch_size = self.eval_batch_size = per_device_eval_batch_size
        self.num_train_epochs, self.max_steps = num_train_epochs, max_steps
        self.learning_rate, self.weight_decay = learning_rate, weight_decay
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.dataloader_drop_last = dataloader_drop_last
        self.remove_unused_columns = remove_unused_columns
        self.label_names = label_names
        self.seed = seed
        self.n_gpu, self.world_size, self.process_index, self.local_process_index = 0, 1, 0, 0
        self.local_rank = -1
        import torch

        self.device = torch.device("cpu")
        for name, value in options.items():
            setattr(self, name, value)
