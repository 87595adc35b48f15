import type { ProgressBoard, WorkProgress } from './context.ts';

interface Kept {
  progress: WorkProgress | undefined;
}

/** A progress board in memory. It holds only running work. */
export function progressBoard(): ProgressBoard {
  const running = new Map<string, Kept[]>();
  return {
    begin(name) {
      const note: Kept = { progress: undefined };
      const all = running.get(name) ?? [];
      running.set(name, all);
      all.push(note);
      return {
        tell(stage, done, total) {
          note.progress = { stage, done, total };
        },
        [Symbol.dispose]() {
          const at = all.indexOf(note);
          if (at >= 0) all.splice(at, 1);
          if (all.length === 0 && running.get(name) === all) running.delete(name);
        },
      };
    },
    of: (name) => running.get(name)?.at(-1)?.progress,
  };
}
