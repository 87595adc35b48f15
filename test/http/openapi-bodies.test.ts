import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { operation, rawOperation, uploadOperation } from '../../src/contract/operation.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import type { OpenApiDocument, SuccessObject } from '../../src/http/openapi/types.ts';

const { config } = await loadConfig({ flags: { 'data-dir': '/nowhere' }, env: {}, home: '/nowhere', cwd: '/nowhere' });

describe('operations that are not JSON', () => {
  it('are described by their media types', () => {
    const upload = rawOperation({
      id: 'blob.put',
      method: 'PUT',
      path: '/blobs/:id',
      envelope: 'filevault',
      auth: 'optional',
      summary: 'Put a blob',
      input: v.object({ id: v.string(), part: v.optional(v.string()) }),
      status: 201,
      errors: [],
      accepts: ['application/octet-stream'],
      produces: ['text/plain'],
    });
    const part = rawOperation({
      id: 'blob.get',
      method: 'GET',
      path: '/blobs/:id',
      envelope: 'filevault',
      auth: 'none',
      summary: 'Get a blob',
      input: v.object({ id: v.string() }),
      status: 200,
      errors: [],
      accepts: [],
      produces: ['image/png'],
      digest: true,
      ranges: true,
    });
    const add = uploadOperation({
      id: 'blob.add',
      method: 'POST',
      path: '/blobs',
      envelope: 'filevault',
      auth: 'none',
      summary: 'Add a blob',
      input: v.object({ part: v.optional(v.string()) }),
      reply: v.object({ id: v.string() }),
      status: 201,
      message: 'Added',
      errors: [],
      accepts: ['image/*'],
      digest: true,
      maxBody: 1000,
    });
    const gone = operation({
      id: 'blob.remove',
      method: 'DELETE',
      path: '/blobs/:id',
      envelope: 'filevault',
      auth: 'member',
      summary: 'Remove a blob',
      input: v.object({ id: v.string() }),
      reply: v.object({}),
      status: 204,
      message: 'Removed',
      errors: [],
    });
    const topic = { name: 'blob', title: 'Blobs', text: 'Bytes', contract: { upload, gone, part, add } };
    const made: OpenApiDocument = openApiDocument([topic], config.limits, '1');
    const { put, delete: remove } = made.paths['/blobs/{id}']!;
    expect(put!.requestBody).toEqual({ required: true, content: { 'application/octet-stream': { schema: {} } } });
    expect(put!.security).toEqual([{}, { bearer: [] }]);
    expect(put!.parameters.map((parameter) => [parameter.name, parameter.in, parameter.required])).toEqual([
      ['id', 'path', true],
      ['part', 'query', false],
    ]);
    expect(Object.keys(put!.responses)).toEqual(['201', '400', '401', '403', '408', '413', '415', '429', '500', '503']);
    expect((remove!.responses['204'] as SuccessObject).content).toBeUndefined();
    const { get } = made.paths['/blobs/{id}']!;
    expect(get!.parameters.map(({ name }) => name)).toEqual(['id', 'Range', 'If-Range']);
    expect(Object.keys(get!.responses)).toEqual(expect.arrayContaining(['200', '206', '416']));
    expect(Object.keys((get!.responses['206'] as SuccessObject).headers)).toEqual(
      expect.arrayContaining(['Content-Range', 'Repr-Digest', 'ETag']),
    );
    expect((get!.responses['200'] as SuccessObject).headers).toHaveProperty('Content-Digest');
    const { post } = made.paths['/blobs']!;
    expect(post!.parameters.map((parameter) => [parameter.name, parameter.in])).toEqual([
      ['part', 'query'],
      ['Content-Digest', 'header'],
    ]);
    expect(post!.requestBody).toEqual({ required: true, content: { 'image/*': { schema: {} } } });
    expect(post!['x-max-body-bytes']).toBe(1000);
    expect((post!.responses['201'] as SuccessObject).content).toHaveProperty('application/json');
    expect(Object.keys(post!.responses)).toEqual(expect.arrayContaining(['400', '408', '413', '415']));
    expect(Object.keys(made.components.schemas)).toEqual([]);
  });
});
