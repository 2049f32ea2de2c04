import { WorkersError } from './workers.error.js';

/** Children that did not end well when the launcher stopped: work they had in hand may be lost. @publicApi */
export class ChildrenLostError extends WorkersError {
  /** @param children what became of each: `web#2 (pid 4711) had to be killed after 10 s` */
  constructor(readonly children: readonly string[]) {
    super('WORKERS_CHILDREN_LOST', `some children did not exit cleanly: ${children.join('; ')}`);
  }
}
