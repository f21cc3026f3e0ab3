# `pymongo`.
from streamlit._parts import Part

MongoClient = AsyncMongoClient = UpdateOne = InsertOne = DeleteOne = ReplaceOne = IndexModel = ASCENDING = DESCENDING = Part
