import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { allTopics } from '../../src/contract/all.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import type { Json, OpenApiDocument } from '../../src/http/openapi/types.ts';

const { config } = await loadConfig({ flags: { 'data-dir': '/nowhere' }, env: {}, home: '/nowhere', cwd: '/nowhere' });
const document = openApiDocument(allTopics, config.limits, '1.2.3');

/** Paths of the interface documents that Redocly finds ambiguous, and why they are not. */
const documented: readonly { readonly paths: RegExp; readonly why: string }[] = [
  {
    paths: /`\/filevault\/folders\/resolve\/\{path\}` and `\/filevault\/folders\/\{id\}/,
    why: 'a path of folders stands after `resolve`, which is no id',
  },
  {
    paths: /`\/filevault\/share\/\{fileId\}\/(?:shares|audit|magnet)`/,
    why: 'what stands in its place is a word, which is no id',
  },
  {
    paths:
      /`\/api\/social\/messages\/conversations\/\{id\}` and `\/api\/social\/messages\/\{messageId\}\/(?:forward|reactions|report)`/,
    why: 'a message is named by an id, and `conversations` is none; nor is a conversation named by one of these words',
  },
];

function isDocumented(problem: string): boolean {
  return problem.startsWith('no-ambiguous-paths: ') && documented.some(({ paths }) => paths.test(problem));
}

/** As the command line of Redocly says them, with its recommended rules. */
async function redocly(checked: OpenApiDocument): Promise<string[]> {
  const rules = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({
    source: JSON.stringify(checked),
    absoluteRef: '/openapi.json',
    config: rules,
  });
  return problems
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
    .filter((problem) => !isDocumented(problem));
}

/** As that of Spectral, with its rules for OpenAPI. */
async function spectralOf(checked: OpenApiDocument): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] });
  const problems = await linter.run(JSON.parse(JSON.stringify(checked)) as Json);
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`);
}

/** Two operations are enough to find something in. */
function broken(): OpenApiDocument {
  const copy = JSON.parse(JSON.stringify(document)) as {
    paths: Record<string, Record<string, Record<string, unknown>>>;
  };
  for (const path of Object.keys(copy.paths))
    if (!['/api/user/login', '/api/user/verify'].includes(path)) delete copy.paths[path];
  delete copy.paths['/api/user/login']!['post']!['description'];
  copy.paths['/api/user/login']!['post']!['operationId'] = 'account.verify';
  return copy as unknown as OpenApiDocument;
}

describe.each([
  { name: 'Redocly', lint: redocly, rule: 'operation-operationId-unique' },
  { name: 'Spectral', lint: spectralOf, rule: 'operation-description' },
])('$name', ({ lint, rule }) => {
  it('finds nothing in the OpenAPI document', async () => {
    expect(await lint(document)).toEqual([]);
  });

  it('would find something', async () => {
    expect((await lint(broken())).join('\n')).toContain(rule);
  });
});
