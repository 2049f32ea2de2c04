import type { DrainTarget } from './target.js';
import type { WorkInFlight } from './work.js';

/** Records every call and completes it when the spec says so. */
export class FakeTarget implements DrainTarget {
  readonly calls: string[] = [];
  work: WorkInFlight[] = [];
  onShed: () => Promise<void> = () => Promise.resolve();
  onSettle: () => Promise<void> = () => Promise.resolve();

  announce(): void {
    this.calls.push('announce');
  }

  shed(): Promise<void> {
    this.calls.push('shed');
    return this.onShed();
  }

  settle(): Promise<void> {
    this.calls.push('settle');
    return this.onSettle();
  }

  close(): Promise<void> {
    this.calls.push('close');
    return Promise.resolve();
  }

  force(): void {
    this.calls.push('force');
  }

  inFlight(): WorkInFlight[] {
    return this.work;
  }
}
