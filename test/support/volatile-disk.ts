import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nodeDisk, type Disk } from '../../src/platform/store/sqljs/disk.ts';

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

interface FileState {
  /** as it was when it was flushed last */
  durable: Buffer;
  /** since then, in order */
  pending: Change[];
  /** whether its folder was flushed since it was made */
  named: boolean;
  /** deleted, and its folder not flushed since */
  deleted: boolean;
}

export interface VolatileDisk {
  readonly disk: Disk;
  /** Called before each change of the disk. */
  onChange: () => void;
  /** Writes what a machine that loses its power now may find afterwards into a new folder. */
  loseInto(folder: string, random: () => number): void;
}

const sectorBytes = 512;

/** A change as it may reach a disk that is cut off: whole, in part, or not at all. Sectors are whole or not at all. */
function applyInPart(content: Buffer, change: Change, random: () => number): Buffer {
  if ('size' in change) {
    if (random() < 0.5) return content;
    return change.size <= content.length
      ? content.subarray(0, change.size)
      : Buffer.concat([content, Buffer.alloc(change.size - content.length)]);
  }
  const fate = random();
  if (fate < 0.4) return content;
  const end = change.at + change.bytes.length;
  const grown = end <= content.length ? content : Buffer.concat([content, Buffer.alloc(end - content.length)]);
  for (let start = 0; start < change.bytes.length;) {
    const next = Math.min(change.bytes.length, start + sectorBytes - ((change.at + start) % sectorBytes));
    if (fate > 0.6 || random() < 0.5) change.bytes.copy(grown, change.at + start, start, next);
    start = next;
  }
  return grown;
}

/** The real disk, which keeps account of what a loss of power could take away: all that was not flushed. */
export function volatileDisk(): VolatileDisk {
  const states = new Map<string, FileState>();
  const paths = new Map<number, string>();
  const stateOf = (fd: number): FileState => states.get(paths.get(fd) ?? '') as FileState;

  const self: VolatileDisk = {
    onChange() {},
    disk: {
      ...nodeDisk,
      openSync(path, flags, mode) {
        const name = String(path);
        const isNew = !existsSync(name);
        const fd = nodeDisk.openSync(path, flags, mode);
        paths.set(fd, name);
        if (nodeDisk.fstatSync(fd).isFile() && (isNew || !states.has(name)))
          states.set(name, {
            durable: isNew ? Buffer.alloc(0) : readFileSync(name),
            pending: [],
            named: !isNew,
            deleted: false,
          });
        return fd;
      },
      writeSync: ((fd: number, bytes: Buffer, from: number, size: number, at: number) => {
        self.onChange();
        stateOf(fd).pending.push({ at, bytes: Buffer.from(bytes.subarray(from, from + size)) });
        return nodeDisk.writeSync(fd, bytes, from, size, at);
      }) as Disk['writeSync'],
      ftruncateSync(fd, size = 0) {
        self.onChange();
        stateOf(fd).pending.push({ size: size ?? 0 });
        nodeDisk.ftruncateSync(fd, size);
      },
      fdatasyncSync(fd) {
        self.onChange();
        const state = stateOf(fd);
        state.durable = readFileSync(paths.get(fd) ?? '');
        state.pending = [];
      },
      fdatasync(fd, done) {
        self.onChange();
        // What is written from now on may or may not be part of it.
        const state = stateOf(fd);
        const flushed = readFileSync(paths.get(fd) ?? '');
        const { pending } = state;
        const { length } = pending;
        setTimeout(() => {
          self.onChange();
          // Unless another flush took place meanwhile, which was of as much or more.
          if (state.pending === pending) {
            state.durable = flushed;
            state.pending = pending.slice(length);
          }
          done(null);
        }, 3);
      },
      unlinkSync(path) {
        self.onChange();
        const state = states.get(String(path));
        if (state) state.deleted = true;
        nodeDisk.unlinkSync(path);
      },
      fsyncSync() {
        self.onChange();
        for (const [path, state] of states) {
          state.named = true;
          if (state.deleted) states.delete(path);
        }
      },
    },
    loseInto(folder, random) {
      mkdirSync(folder, { recursive: true });
      for (const [path, { durable, pending, named, deleted }] of states) {
        if ((!named || deleted) && random() < 0.5) continue;
        let content: Buffer = Buffer.from(durable);
        for (const change of pending) content = applyInPart(content, change, random);
        writeFileSync(join(folder, basename(path)), content);
      }
    },
  };
  return self;
}
