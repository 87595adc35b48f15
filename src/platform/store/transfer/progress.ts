/** The progress of long work. */
export interface Progress {
  /** a short phrase, such as `copying members` */
  readonly what: string;
  readonly done: number;
  /** 0: unknown */
  readonly total: number;
}

export type OnProgress = (progress: Progress) => void;

const atMostEveryMs = 100;

/** Passes on the first and last step of each phrase, and ten steps a second in between. */
export function calm(onProgress: OnProgress | undefined): OnProgress {
  if (!onProgress) return () => {};
  let lastWhat = '';
  let lastAt = 0;
  return (progress) => {
    const now = performance.now();
    if (progress.what === lastWhat && progress.done !== progress.total && now - lastAt < atMostEveryMs) return;
    lastWhat = progress.what;
    lastAt = now;
    onProgress(progress);
  };
}
