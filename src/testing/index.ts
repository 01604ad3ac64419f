/**
 * Public exports of `troupe/testing`.
 *
 * @module troupe/testing
 */
export type { Script, ScriptedCall, ScriptedError, ScriptedToolCall, ScriptedTurn } from "./script.ts";
export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from "./scripted-model.ts";
