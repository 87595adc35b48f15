import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';

/** A program of Mozilla that is steered over its protocol Marionette. */
export interface Marionette extends Disposable {
  /** Runs a script among the program's own ones, and gives back what it returns. It sees its arguments as `args`. */
  run(script: string, ...args: readonly unknown[]): Promise<unknown>;
}

type Waiting = Map<number, { resolve(value: unknown): void; reject(error: Error): void }>;

/** @param profile of a program that was started with `--marionette`: it writes there where it listens */
export async function openMarionette(profile: string): Promise<Marionette> {
  const port = await eventually(async () => Number(await readFile(join(profile, 'MarionetteActivePort'), 'utf8')));
  const socket = connect(port, '127.0.0.1');
  const waiting: Waiting = new Map();
  await listen(socket, waiting);
  let last = 0;
  const send = async (name: string, parameters: object): Promise<unknown> => {
    last += 1;
    const text = JSON.stringify([0, last, name, parameters]);
    const answer = new Promise((resolve, reject) => waiting.set(last, { resolve, reject }));
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    return await answer;
  };
  await send('WebDriver:NewSession', { capabilities: { alwaysMatch: { timeouts: { script: 300_000 } } } });
  await send('Marionette:SetContext', { value: 'chrome' });
  return {
    async run(script, ...args) {
      const whole = `const [args, done] = [arguments[0], arguments[1]];
        (async () => { ${script} })().then((value) => done({ value }), (error) => done({ error: String(error) + error.stack }));`;
      const answer = (await send('WebDriver:ExecuteAsyncScript', { script: whole, args: [args] })) as {
        value: { value?: unknown; error?: string };
      };
      if (answer.value.error !== undefined) throw new Error(answer.value.error);
      return answer.value.value;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}

/** Each message is its length, a colon, and JSON; the first one is a greeting. */
async function listen(socket: Socket, waiting: Waiting): Promise<unknown> {
  let pending: Buffer = Buffer.alloc(0);
  return await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (data: Buffer) => {
      pending = Buffer.concat([pending, data]);
      for (;;) {
        const colon = pending.indexOf(':');
        const length = Number(pending.subarray(0, Math.max(colon, 0)).toString());
        if (colon === -1 || pending.length < colon + 1 + length) return;
        const message: unknown = JSON.parse(pending.subarray(colon + 1, colon + 1 + length).toString());
        pending = pending.subarray(colon + 1 + length);
        if (Array.isArray(message)) answered(waiting, message);
        else resolve(message);
      }
    });
  });
}

function answered(waiting: Waiting, [, id, error, result]: readonly unknown[]): void {
  const asked = waiting.get(id as number);
  waiting.delete(id as number);
  if (error === null) asked?.resolve(result);
  else asked?.reject(new Error(JSON.stringify(error)));
}
