import { describe, expect, it } from 'vitest';
import { isLoopback, parseServer, serverName } from '../../src/client/server-address.ts';
import { Problem } from '../../src/base/problem.ts';

describe('the address of a server', () => {
  it.each([
    ['home.example', 'https://home.example'],
    ['home.example:8443', 'https://home.example:8443'],
    ['https://home.example/', 'https://home.example'],
    ['https://home.example/under/here/', 'https://home.example/under/here'],
    ['localhost:7878', 'http://localhost:7878'],
    ['127.0.0.1:7878', 'http://127.0.0.1:7878'],
    ['[::1]:7878', 'http://[::1]:7878'],
    [' HTTPS://Home.Example ', 'https://home.example'],
  ])('%s is %s', (text, name) => {
    expect(serverName(parseServer(text))).toBe(name);
  });

  it.each([
    '',
    'https://',
    'ftp://home.example',
    'https://me:secret@home.example',
    'https://home.example?x=1',
    'https://home.example#x',
    'home example',
  ])('%j is refused, and not repeated', (text) => {
    const refused = () => parseServer(text);
    expect(refused).toThrow(Problem);
    expect(refused).not.toThrow('secret');
  });

  it('is on this machine or not', () => {
    for (const text of ['localhost', 'a.localhost:1', '127.9.9.9', '[::1]'])
      expect(isLoopback(parseServer(text))).toBe(true);
    for (const text of ['127.0.0.1.example', 'localhost.example', '10.0.0.1'])
      expect(isLoopback(parseServer(text))).toBe(false);
  });
});
