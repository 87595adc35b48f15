// The entry point of every thread, and of every process that does work.
import { workHere } from '../platform/workers/work-thread.ts';
import { places } from './work-places.ts';

workHere(places);
