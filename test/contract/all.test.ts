import type { GenericSchema } from 'valibot';
import { describe, expect, it } from 'vitest';
import { allOperations, allTopics } from '../../src/contract/all.ts';
import { envelopeNameOf, envelopes } from '../../src/contract/envelope.ts';
import { limitOf, pathParameters } from '../../src/contract/operation.ts';

const operations = allOperations();
const named = operations.map((op) => [op.id, op] as const);

describe('the contract', () => {
  it('has each id, and each method of a path, once', () => {
    const ids = operations.map((op) => op.id);
    const places = operations.map((op) => `${op.method} ${op.path.replaceAll(/[:*]\w+/g, ':x')}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(places).size).toBe(places.length);
  });

  it('names operations by topic and verb', () => {
    for (const topic of allTopics) {
      for (const op of Object.values(topic.contract))
        expect(op.id).toMatch(new RegExp(`^${topic.name}\\.[a-z]+(-[a-z]+)*$`));
    }
  });
});

describe.each(named)('%s', (_, op) => {
  it('takes every parameter of its path, as a field that is needed', () => {
    const entries = op.input.entries as Readonly<Record<string, GenericSchema>>;
    for (const name of pathParameters(op.path))
      expect(entries[name]?.type, name).not.toMatch(/^(optional|nullish|undefined)?$/);
  });

  it('answers in the envelope in which its path would answer a failure', () => {
    expect(op.envelope).toBe(envelopeNameOf(op.path));
  });

  it('has a reply that its envelope does not cover up', () => {
    const { type, entries } =
      op.form === 'json' ? (op.reply as { type: string; entries?: object }) : { type: 'object', entries: {} };
    // A map of what a message has stands inside of its envelope, as the interface documents have it.
    if (type === 'record') expect(envelopes[op.envelope].inside).toBeDefined();
    // What is documented as an array stands inside of its envelope, or bare where the envelope of the file vault adds nothing.
    else if (type === 'array' || type === 'union')
      expect(op.envelope === 'filevault' || envelopes[op.envelope].inside !== undefined).toBe(true);
    else if (op.status === 204) expect(type).toBe('null');
    else expect(entries).toBeDefined();
    if (op.envelope === 'account' || op.envelope === 'quorum') expect(entries).not.toHaveProperty('message');
  });

  it('counts the account that it names by fields that it has', () => {
    for (const field of limitOf(op).account ?? []) expect(op.input.entries).toHaveProperty(field);
  });

  it('says what it does in one line', () => {
    expect(op.summary).toMatch(/^[A-Z][^\n]{3,120}[^.\n]$/);
  });
});
