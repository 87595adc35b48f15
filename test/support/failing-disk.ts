import { nodeDisk, type Disk } from '../../src/platform/store/sqljs/disk.ts';

/** The real disk with switches: what is set in `fails` throws with that code, and calls are counted. */
export interface FailingDisk {
  readonly disk: Disk;
  readonly fails: { write?: string | undefined; sync?: string | undefined; open?: string | undefined };
  readonly count: { writes: number; syncs: number };
}

export function failingDisk(): FailingDisk {
  const fails: FailingDisk['fails'] = {};
  const count = { writes: 0, syncs: 0 };
  const failIf = (code: string | undefined): void => {
    if (code !== undefined) throw Object.assign(new Error(`${code}: made by a test`), { code });
  };
  const disk: Disk = {
    ...nodeDisk,
    openSync: (...parameters: Parameters<Disk['openSync']>) => {
      failIf(fails.open);
      return nodeDisk.openSync(...parameters);
    },
    writeSync: (...parameters: unknown[]) => {
      failIf(fails.write);
      count.writes += 1;
      return (nodeDisk.writeSync as (...all: unknown[]) => number)(...parameters);
    },
    ftruncateSync: (...parameters: Parameters<Disk['ftruncateSync']>) => {
      failIf(fails.write);
      nodeDisk.ftruncateSync(...parameters);
    },
    fdatasync: (fd, done) => {
      const code = fails.sync;
      count.syncs += 1;
      nodeDisk.fdatasync(fd, (error) =>
        done(code === undefined ? error : Object.assign(new Error(`${code}: made by a test`), { code })),
      );
    },
    fdatasyncSync: (fd: number) => {
      failIf(fails.sync);
      count.syncs += 1;
      nodeDisk.fdatasyncSync(fd);
    },
  };
  return { disk, fails, count };
}
