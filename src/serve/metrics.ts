import type prometheus from 'prom-client';
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Observation } from '../http/serving.ts';
import { FastResponse } from 'srvx';
import type { AddPage } from '../http/app.ts';

/** A number that is read when somebody asks for it. */
export interface Measure {
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'counter';
  read(): number | Promise<number>;
}

export function gauge(name: string, help: string, read: () => number | Promise<number>): Measure {
  return { name, help, kind: 'gauge', read };
}

export interface Metrics {
  observe(seen: Observation): void;
  /** the Prometheus text format */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Seconds; from what a read of one row takes to the patience of people. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Measurements before the library is loaded. */
const MAX_EARLY = 10_000;

type Library = Pick<typeof prometheus, 'Registry' | 'Counter' | 'Gauge' | 'Histogram'>;

interface Instruments {
  readonly registry: Registry;
  readonly requests: Counter<'operation' | 'status'>;
  readonly seconds: Histogram<'operation'>;
}

/**
 * What Prometheus can ask for. Names of operations come from the contract, so that no request can invent a label; the library is
 * loaded when the first request was served, since starting shouldn't wait for it.
 */
export function createMetrics(measures: readonly Measure[]): Metrics {
  let loading: Promise<Instruments> | undefined;
  let instruments: Instruments | undefined;
  const early: Observation[] = [];

  function load(): Promise<Instruments> {
    loading ??= import('prom-client').then(({ default: library }) => {
      instruments = instrumentsOf(library, measures);
      for (const seen of early.splice(0)) record(instruments, seen);
      return instruments;
    });
    return loading;
  }

  return {
    observe(seen) {
      if (instruments !== undefined) {
        record(instruments, seen);
        return;
      }
      if (early.length < MAX_EARLY) early.push(seen);
      if (loading === undefined) setImmediate(() => void load());
    },
    async render() {
      const { registry } = await load();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function record({ requests, seconds }: Instruments, { operation = 'none', status, milliseconds }: Observation): void {
  requests.inc({ operation, status });
  seconds.observe({ operation }, milliseconds / 1000);
}

function instrumentsOf(library: Library, measures: readonly Measure[]): Instruments {
  const registry = new library.Registry();
  const registers = [registry];
  for (const measure of measures) {
    const { name, help } = measure;
    const Instrument = measure.kind === 'gauge' ? library.Gauge : library.Counter;
    const instrument: Gauge | Counter = new Instrument({
      name,
      help,
      registers: [],
      async collect() {
        const value = await measure.read();
        instrument.reset();
        instrument.inc(value);
      },
    });
    registry.registerMetric(instrument);
  }
  return {
    registry,
    requests: new library.Counter({
      name: 'conclave_http_requests_total',
      help: 'Requests answered, by operation and status.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    seconds: new library.Histogram({
      name: 'conclave_http_request_duration_seconds',
      help: 'Time from the request to its answer, by operation.',
      labelNames: ['operation'],
      buckets: BUCKETS,
      registers,
    }),
  };
}

/** `/metrics`, in the text format of Prometheus. */
export function addMetrics(add: AddPage, metrics: Metrics): void {
  add('/metrics', async (headers) => {
    const { contentType, text } = await metrics.render();
    return new FastResponse(text, { headers: { ...headers, 'content-type': contentType } });
  });
}
