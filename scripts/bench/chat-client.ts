import { request } from 'node:http';

export interface BenchMember {
  readonly id: string;
  readonly token: string;
}

/** A request of a member to a server, over connections that stay open. @returns `data` of a success. @throws for anything else */
export async function ask<T>(port: number, method: string, path: string, token: string, body?: object): Promise<T> {
  const text = body === undefined ? '' : JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    const headers = {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const sent = request({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const said = Buffer.concat(parts).toString();
        if ((answer.statusCode ?? 0) >= 300) reject(new Error(`${path}: ${answer.statusCode} ${said}`));
        else resolve((JSON.parse(said) as { data: T }).data);
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

/** A member of a server that counts no registrations. */
export async function registerMember(port: number, at: number): Promise<BenchMember> {
  const account = {
    username: `member${at}`,
    email: `member${at}@example.org`,
    password: 'the password of the bench',
  };
  const path = '/api/user/register';
  const { token, memberId: id } = await ask<{ token: string; memberId: string }>(port, 'POST', path, '', account);
  return { id, token };
}
