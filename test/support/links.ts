import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Wires } from './wires.ts';
import { reservePort } from './reserved-ports.ts';

interface Way {
  readonly from: string;
  readonly to: string;
  cut(): void;
}

/** By /proc of Linux: who connects isn't to be seen from an address of the loopback. */
async function inodeOf(localPort: number, remotePort: number): Promise<string | undefined> {
  const port = (address = ''): number => Number.parseInt(address.split(':')[1] ?? '', 16);
  for (const line of (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/);
    if (port(fields[1]) === localPort && port(fields[2]) === remotePort) return fields[9];
  }
  return undefined;
}

async function holds(pid: number, inode: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  for (const name of names)
    if ((await readlink(`${folder}/${name}`).catch(() => '')) === `socket:[${inode}]`) return true;
  return false;
}

/** Ways between processes of one machine: each process is reached through a port of ours. What is cut is closed. */
export function openLinks(): Wires {
  const pids = new Map<string, number>();
  const ways = new Set<Way>();
  const servers: ReturnType<typeof createServer>[] = [];
  let groups: readonly (readonly string[])[] | undefined;

  const allowed = (from: string, to: string): boolean =>
    groups === undefined || groups.some((group) => group.includes(from) && group.includes(to));

  async function whoConnects(socket: Socket): Promise<string | undefined> {
    const inode = await inodeOf(socket.remotePort ?? 0, socket.localPort ?? 0);
    if (inode === undefined) return undefined;
    for (const [name, pid] of pids) if (await holds(pid, inode)) return name;
    return undefined;
  }

  async function lead(socket: Socket, to: string, port: number): Promise<void> {
    socket.on('error', () => undefined);
    const from = await whoConnects(socket);
    if (from === undefined || !allowed(from, to)) return void socket.destroy();
    const onward = connect({ port, host: '127.0.0.1', noDelay: true });
    const way: Way = {
      from,
      to,
      cut() {
        socket.destroy();
        onward.destroy();
      },
    };
    ways.add(way);
    for (const end of [socket, onward]) {
      end.on('error', () => undefined);
      end.on('close', () => {
        way.cut();
        ways.delete(way);
      });
    }
    socket.pipe(onward).pipe(socket);
  }

  return {
    kind: 'links',
    async place(name) {
      const port = await reservePort();
      // Nothing is read before it is known who it is from.
      const server = createServer({ pauseOnConnect: false, noDelay: true }, (socket) => void lead(socket, name, port));
      servers.push(server.listen(0, '127.0.0.1'));
      await once(server, 'listening');
      const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      return { listen: `127.0.0.1:${port}`, address, prefix: [] };
    },
    know: (name, pid) => void pids.set(name, pid),
    async part(...wanted) {
      groups = wanted;
      for (const way of ways) if (!allowed(way.from, way.to)) way.cut();
    },
    async mend() {
      groups = undefined;
    },
    async [Symbol.asyncDispose]() {
      for (const way of ways) way.cut();
      for (const server of servers) {
        server.close();
        if (server.listening) await once(server, 'close');
      }
    },
  };
}
