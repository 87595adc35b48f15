import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode, type RunningNode } from '../support/running-node.ts';

const listed = 'https://home.example';
let node: RunningNode;
beforeAll(async () => {
  node = await startNode({ env: { CONCLAVE_CORS_ORIGINS: `${listed},http://localhost:3000` } });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const preflight = (origin: string, method = 'POST') =>
  node.fetch('/api/user/login', {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization, content-type',
    },
  });

describe('cross-origin requests', () => {
  it('of a listed origin are let through, with what a client has to read', async () => {
    const answer = await preflight(listed);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(listed);
    expect(answer.headers.get('access-control-allow-methods')).toMatch(/POST/);
    expect(answer.headers.get('access-control-allow-headers')).toMatch(/authorization/);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).toMatch(/origin/i);

    const response = await node.fetch('/api/user/verify', { headers: { origin: listed } });
    expect(response.status).toBe(401);
    expect(response.headers.get('access-control-allow-origin')).toBe(listed);
    expect(response.headers.get('access-control-expose-headers')).toMatch(
      /content-disposition.*x-access-receipt.*x-request-id.*x-share-grant/s,
    );
    expect(response.headers.get('vary')).toMatch(/origin/i);
  });

  it('of any other origin get no leave, and nobody’s name', async () => {
    for (const origin of [
      'https://evil.example',
      'https://home.example.evil.example',
      'http://home.example',
      'null',
      `${listed}:444`,
    ]) {
      for (const response of [await preflight(origin), await node.fetch('/api/user/verify', { headers: { origin } })]) {
        expect([origin, response.headers.get('access-control-allow-origin')]).toEqual([origin, null]);
      }
    }
  });
});
