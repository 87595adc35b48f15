import type { Draft } from './draft.ts';
import { addField } from './draft.ts';
import { notImportable } from './import-run.ts';

/** The result of `parseSlice`: numbers are text. */
export type Json = null | boolean | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Empty if the value isn't an object. */
export function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Empty if the value isn't a list. */
export function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/**
 * @returns undefined for null and a missing value
 * @throws Problem for a list or an object
 */
export function textIn(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  throw notImportable('A field that should be text is something else.');
}

export function truthIn(value: Json | undefined): boolean {
  return value === true || value === 'true' || value === '1';
}

/**
 * Adds everything in `value` as fields, with names that give their place (`address.city`, `emails.2`). Every value with content is kept.
 */
export function addAll(draft: Draft, name: string, value: Json | undefined, hidden?: boolean): void {
  if (value === undefined || value === null) return;
  if (isObject(value)) {
    for (const [key, inner] of Object.entries(value))
      addAll(draft, name === '' ? key : `${name}.${key}`, inner, hidden);
  } else if (Array.isArray(value)) {
    const list = listIn(value);
    for (const [at, inner] of list.entries())
      addAll(draft, list.length === 1 ? name : `${name}.${at + 1}`, inner, hidden);
  } else {
    addField(draft, name, textIn(value), hidden);
  }
}
