import { eachDatabase } from "../support/databases.ts";
import { documentStoreTests } from "./document-store.ts";

eachDatabase("documents", (openDatabase) => documentStoreTests(openDatabase));
