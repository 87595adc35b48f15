import { Parser } from '@asyncapi/parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { allTopics } from '../../src/contract/all.ts';
import { event } from '../../src/contract/event.ts';
import { asyncApiDocument } from '../../src/http/asyncapi/document.ts';
import { schemaCompiler } from './schema-compiler.ts';
import { sampleEvents, sampleFrames } from '../platform/realtime/sample-topic.ts';

const document = asyncApiDocument([...allTopics, { events: sampleEvents, frames: sampleFrames }], '1.2.3');
const sent = (value: unknown) => JSON.parse(JSON.stringify(value));

/** What the parser of AsyncAPI itself says, with the rules that it has by default. */
async function diagnosed(checked: unknown): Promise<string[]> {
  const { diagnostics } = await new Parser().parse(sent(checked));
  return diagnostics.map(({ severity, code, message, path }) => `${severity} ${code}: ${message} ${path.join('/')}`);
}

describe('the AsyncAPI document', () => {
  it('is valid AsyncAPI 3, and nothing is to be said of it', { tags: 'thorough' }, async () => {
    const said = await diagnosed(document);
    // There are newer versions than 3.0, and none is needed.
    expect(said.filter((one) => !one.includes('asyncapi-latest-version'))).toEqual([]);
  });

  it('would not be called valid if it were not', { tags: 'soak' }, async () => {
    const broken = sent(document);
    delete broken.operations.subscribe.action;
    broken.channels.vaults.messages['vault.notice'].$ref = '#/components/messages/nothing';
    const said = (await diagnosed(broken)).join('\n');
    expect(said).toContain('operations/subscribe');
    expect(said).toContain('#/components/messages/nothing');
  });

  it('has an example of every message, which fits its payload', () => {
    const compile = schemaCompiler(
      new Ajv2020({ strict: false, formats: { password: true, 'date-time': true } }),
      document.components.schemas,
    );
    const messages = Object.values(document.components.messages);
    expect(messages.length).toBeGreaterThan(12);
    for (const { name, payload, examples } of messages) {
      const fits = compile(payload);
      expect([name, fits(sent(examples[0]!.payload)), fits.errors]).toEqual([name, true, null]);
      expect(fits({ type: 'another' })).toBe(false);
    }
  });

  it('has every event once, in the channel of its topics', () => {
    const declared = [...allTopics.flatMap(({ events = {} }) => Object.values(events)), ...Object.values(sampleEvents)];
    expect(declared.length).toBeGreaterThan(2);
    for (const one of declared)
      expect(Object.keys(document.channels[one.topic.kind]!.messages)).toContain(one.name.replaceAll(':', '.'));
    expect(document.channels['vaults']!.address).toBe('vaults:{memberId}');
  });

  it('is not made of a contract that names two things alike', () => {
    const { said } = sampleEvents;
    expect(() => asyncApiDocument([{ events: { one: said, other: said } }], '1')).toThrow('declared twice');
    const taken = event({ ...said, name: 'subscribe', data: v.object({}) });
    expect(() => asyncApiDocument([{ events: { taken } }], '1')).toThrow('subscribe: declared twice');
  });
});
