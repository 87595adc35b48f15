import {
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { nodeFiles, type StoreFiles } from '../../src/platform/store/files.ts';
import { nodeDisk, type Disk } from '../../src/platform/store/sqljs/disk.ts';

interface FileNode {
  readonly kind: 'file';
  /** as it was when it was flushed last */
  durable: Buffer;
}
interface FolderNode {
  readonly kind: 'folder';
  readonly live: Map<string, Node>;
  /** the names that it had when it was flushed last */
  readonly durable: Map<string, Node>;
}
type Node = FileNode | FolderNode;

/** A change of names that no flush of its folder has made last: whole or not at all, and in any company. */
interface Pending {
  readonly folders: readonly FolderNode[];
  apply(namesOf: (folder: FolderNode) => Map<string, Node>): void;
}

/**
 * What becomes of what was not flushed: `nothing` of it is there, the `names` are and the content isn't, the `latest` change of names
 * alone is, which no order forbids, or chance decides for each name, and for each file between what was flushed, what was written, and half of that.
 */
export type Loss = 'nothing' | 'names' | 'latest' | (() => number);

export interface LosingDisk {
  readonly files: StoreFiles;
  readonly disk: Disk;
  /** called before each change of the disk */
  onChange: () => void;
  /** Writes what a machine that loses its power now may find afterwards into a new folder. */
  loseInto(folder: string, loss: Loss): void;
}

function load(path: string): Node {
  if (!lstatSync(path).isDirectory()) return { kind: 'file', durable: readFileSync(path) };
  const names = readdirSync(path).map((name) => [name, load(join(path, name))] as const);
  return { kind: 'folder', live: new Map(names), durable: new Map(names) };
}

/**
 * The real disk below a folder, which keeps account of what a loss of power could take away: folders are flushed like files.
 * Names change here at once, so that nobody sees a name of the real disk that this account does not have yet; and a flush
 * makes last what was there when it began.
 */
export function losingDisk(root: string): LosingDisk {
  const top = load(root) as FolderNode;
  let pending: Pending[] = [];
  const descriptors = new Map<number, string>();

  function nodeAt(path: string): Node | undefined {
    if (path === root) return top;
    const parent = path.startsWith(`${root}/`) ? nodeAt(dirname(path)) : undefined;
    return parent?.kind === 'folder' ? parent.live.get(basename(path)) : undefined;
  }
  const folderAt = (path: string) => nodeAt(path) as FolderNode;

  function change(folders: readonly FolderNode[], apply: Pending['apply']): void {
    apply((folder) => folder.live);
    pending.push({ folders, apply });
  }
  function add(path: string, node: Node): void {
    const folder = folderAt(dirname(path));
    change([folder], (namesOf) => void namesOf(folder).set(basename(path), node));
  }
  function remove(path: string): void {
    const folder = folderAt(dirname(path));
    change([folder], (namesOf) => void namesOf(folder).delete(basename(path)));
  }
  /** @returns what ends the flush */
  function startFlush(path: string): () => void {
    const node = nodeAt(path);
    if (node?.kind === 'file') {
      const content = readFileSync(path);
      return () => void (node.durable = content);
    }
    const begun = new Set(node && pending.filter(({ folders }) => folders.includes(node)));
    return () => {
      for (const one of pending) if (begun.has(one)) one.apply((folder) => folder.durable);
      pending = pending.filter((one) => !begun.has(one));
    };
  }
  const flush = (path: string): void => startFlush(path)();

  const changing = ['datasync', 'sync', 'truncate', 'write'] as const satisfies (keyof FileHandle)[];
  const watched = (handle: FileHandle, path: string): FileHandle =>
    new Proxy(handle, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return async (...parameters: unknown[]) => {
          if (changing.includes(name as (typeof changing)[number])) self.onChange();
          const endFlush = name === 'datasync' || name === 'sync' ? startFlush(path) : undefined;
          const result: unknown = await Reflect.apply(value, target, parameters);
          endFlush?.();
          return result;
        };
      },
    });

  const self: LosingDisk = {
    onChange() {},
    files: {
      ...nodeFiles,
      open: (async (path: string, flags: string, mode?: number) => {
        const isNew = nodeAt(path) === undefined;
        if (isNew) self.onChange();
        const handle = await nodeFiles.open(path, flags, mode);
        if (isNew) add(path, { kind: 'file', durable: Buffer.alloc(0) });
        return watched(handle, path);
      }) as StoreFiles['open'],
      mkdir: (async (path: string, options: { recursive?: boolean }) => {
        if (nodeAt(path) !== undefined) return await nodeFiles.mkdir(path, options);
        const missing: string[] = [];
        for (let at = path; nodeAt(at) === undefined; at = dirname(at)) missing.unshift(at);
        self.onChange();
        const first = mkdirSync(path, options);
        for (const at of missing) add(at, { kind: 'folder', live: new Map(), durable: new Map() });
        return first;
      }) as StoreFiles['mkdir'],
      rename: (async (from: string, to: string) => {
        self.onChange();
        const node = nodeAt(from) as Node;
        renameSync(from, to);
        const [source, target] = [folderAt(dirname(from)), folderAt(dirname(to))];
        // One change of both folders, which file systems write down as one.
        change([source, target], (namesOf) => {
          namesOf(source).delete(basename(from));
          namesOf(target).set(basename(to), node);
        });
      }) as StoreFiles['rename'],
      rm: (async (path: string, options: object) => {
        const known = nodeAt(path) !== undefined;
        if (known) self.onChange();
        if (!known) return await nodeFiles.rm(path, options);
        rmSync(path, options);
        remove(path);
      }) as StoreFiles['rm'],
      unlink: (async (path: string) => {
        self.onChange();
        unlinkSync(path);
        remove(path);
      }) as StoreFiles['unlink'],
      writeFile: (async (path: string, content: Uint8Array, options: { flush?: boolean }) => {
        self.onChange();
        await nodeFiles.writeFile(path, content, options);
        add(path, { kind: 'file', durable: Buffer.alloc(0) });
        if (options.flush === true) flush(path);
      }) as StoreFiles['writeFile'],
    },
    disk: {
      ...nodeDisk,
      openSync(path, flags, mode) {
        const name = String(path);
        const isNew = nodeAt(name) === undefined;
        const fd = nodeDisk.openSync(path, flags, mode);
        if (isNew && fstatSync(fd).isFile()) add(name, { kind: 'file', durable: Buffer.alloc(0) });
        descriptors.set(fd, name);
        return fd;
      },
      writeSync: ((...parameters: Parameters<typeof nodeDisk.writeSync>) => {
        self.onChange();
        return nodeDisk.writeSync(...parameters);
      }) as Disk['writeSync'],
      ftruncateSync(fd, size) {
        self.onChange();
        nodeDisk.ftruncateSync(fd, size);
      },
      fdatasyncSync(fd) {
        self.onChange();
        nodeDisk.fdatasyncSync(fd);
        flush(descriptors.get(fd) ?? '');
      },
      fdatasync(fd, done) {
        self.onChange();
        const endFlush = startFlush(descriptors.get(fd) ?? '');
        nodeDisk.fdatasync(fd, (error) => {
          self.onChange();
          if (error === null) endFlush();
          done(error);
        });
      },
      fsyncSync(fd) {
        self.onChange();
        flush(descriptors.get(fd) ?? '');
      },
      unlinkSync(path) {
        self.onChange();
        nodeDisk.unlinkSync(path);
        remove(String(path));
      },
    },
    loseInto(folder, loss) {
      const random = typeof loss === 'function' ? loss : undefined;
      const left = new Map<FolderNode, Map<string, Node>>();
      const namesOf = (node: FolderNode) => {
        const names = left.get(node) ?? new Map(node.durable);
        left.set(node, names);
        return names;
      };
      for (const one of pending) {
        const isThere = loss === 'names' || (loss === 'latest' && one === pending.at(-1));
        if (random === undefined ? isThere : random() < 0.5) one.apply(namesOf);
      }
      const written = new Map<Node, Buffer>();
      const read = (node: FolderNode, path: string): void => {
        for (const [name, child] of node.live)
          if (child.kind === 'folder') read(child, join(path, name));
          else written.set(child, readFileSync(join(path, name)));
      };
      read(top, root);
      const contentOf = (node: FileNode): Buffer => {
        const live = written.get(node) ?? node.durable;
        const fate = random?.() ?? 0;
        // What was flushed stays, whatever chance says.
        if (fate < 0.5 || live.equals(node.durable)) return node.durable;
        return fate < 0.75 ? live : live.subarray(0, Math.max(node.durable.length, live.length / 2));
      };
      const write = (node: FolderNode, path: string): void => {
        mkdirSync(path, { recursive: true });
        for (const [name, child] of namesOf(node))
          if (child.kind === 'folder') write(child, join(path, name));
          else writeFileSync(join(path, name), contentOf(child));
      };
      write(top, folder);
    },
  };
  return self;
}
