import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { limits } from '../../../src/platform/realtime/limits.ts';
import { createRegistry } from '../../../src/platform/realtime/registry.ts';
import { Socket } from '../../../src/platform/realtime/socket.ts';
import { noEvents } from './no-events.ts';
import { createTopics } from '../../../src/platform/realtime/topics.ts';

/** A socket on a line whose other end reads nothing, or all. */
function socketOn(line: { waiting: number; now: number }) {
  const seen: string[] = [];
  const socket = new Socket(
    {
      send: () => line.waiting,
      close: (code) => void seen.push(`closed ${code}`),
      pong: (data) => void seen.push(`pong ${Buffer.from(data).toString()}`),
      unsent: () => line.waiting,
      cut: () => void seen.push('cut'),
    },
    { address: '192.0.2.1', userAgent: '' },
    {
      authenticate: () => Promise.reject(new Error('not asked')),
      redeem: () => Promise.reject(new Error('not asked')),
      take: async () => undefined,
      frames: new Map(),
      sessionExpiry: () => Promise.resolve(undefined),
      registry: createRegistry<Socket>(),
      sockets: new Set(),
      members: { take: () => true },
      topics: createTopics({ source: noEvents, log: silentLog }),
      clock: { now: () => line.now },
      log: silentLog,
    },
  );
  return { socket, seen };
}

describe('control frames', () => {
  it('are answered as long as the client reads', () => {
    const line = { waiting: 0, now: 0 };
    const { socket, seen } = socketOn(line);
    socket.ping(Buffer.from('a'));
    line.waiting = limits.unsentPongs + 1;
    socket.ping(Buffer.from('b'));
    socket.ping(Buffer.from('c'));
    expect([seen, socket.open]).toEqual([['pong a', 'cut'], false]);
  });

  it('are counted, pings and pongs together, and anew after a while', () => {
    const line = { waiting: 0, now: 0 };
    const { socket, seen } = socketOn(line);
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < limits.controlFrames / 2; i += 1) {
        socket.ping(new Uint8Array());
        socket.pong();
      }
      line.now += limits.controlSeconds * 1000;
    }
    expect(socket.open).toBe(true);
    for (let i = 0; i <= limits.controlFrames; i += 1) socket.pong();
    expect([seen.at(-1), socket.open]).toEqual(['cut', false]);
  });

  it('are counted anew when the clock was set back', () => {
    const line = { waiting: 0, now: 1_000_000 };
    const { socket } = socketOn(line);
    for (let i = 0; i < limits.controlFrames; i += 1) socket.pong();
    line.now = 0;
    for (let i = 0; i < limits.controlFrames; i += 1) socket.pong();
    expect(socket.open).toBe(true);
    socket.close(1001, '');
  });
});
