import type { Draft } from './draft.ts';
import { addField } from './draft.ts';
import { notImportable } from './import-run.ts';

/** What `parseSlice` gives: numbers are text. */
export type Json = null | boolean | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Empty for what is no object. */
export function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Empty for what is no list. */
export function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/**
 * @returns undefined for null and what is missing
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
 * Everything in `value` as fields, under names that tell where it stood (`address.city`, `emails.2`). Nothing that says
 * something is left out.
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
