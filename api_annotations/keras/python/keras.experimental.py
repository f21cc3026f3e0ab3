# What was moved into other modules since.
from keras.optimizers.schedules import CosineDecay, CosineDecayRestarts


LinearCosineDecay = NoisyLinearCosineDecay = CosineDecay
