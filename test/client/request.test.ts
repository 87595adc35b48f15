import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accounts } from '../../src/contract/accounts.ts';
import { members } from '../../src/contract/accounts/members.ts';
import { node } from '../../src/contract/node.ts';
import { Problem } from '../../src/base/problem.ts';
import { requestOf } from '../../src/client/request.ts';

describe('a request', () => {
  it('has what the path names in the path, and the rest in the query of a GET', () => {
    expect(requestOf(members.list, { query: 'a&b=ü', limit: 5, cursor: undefined })).toEqual({
      method: 'GET',
      path: '/api/admin/members?query=a%26b%3D%C3%BC&limit=5',
      headers: {},
    });
  });

  it('has the rest in a JSON body otherwise', () => {
    expect(requestOf(accounts.updateSettings, { darkMode: true, timezone: undefined })).toEqual({
      method: 'POST',
      path: '/api/user/settings',
      headers: { 'content-type': 'application/json' },
      body: '{"darkMode":true}',
    });
    expect(requestOf(node.verifyStore, {}).body).toBe('{}');
    expect(requestOf(accounts.endSession, { id: 'ab' })).toEqual({
      method: 'DELETE',
      path: '/api/user/sessions/ab',
      headers: {},
    });
  });

  it('stays on its path, whatever an id is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => {
        fc.pre(id !== '.' && id !== '..');
        const { path } = requestOf(accounts.endSession, { id });
        const url = new URL(path, 'http://home.test');
        expect(url.search + url.hash).toBe('');
        expect(url.pathname.split('/').slice(0, 4)).toEqual(['', 'api', 'user', 'sessions']);
        expect(decodeURIComponent(url.pathname.split('/').slice(4).join('/'))).toBe(id);
      }),
    );
  });

  it.each(['', '.', '..', undefined])('is refused for the id %j', (id) => {
    expect(() => requestOf(accounts.endSession, { id })).toThrow(Problem);
  });
});
