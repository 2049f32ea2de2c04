import { WorkersError } from './workers.error.js';

/** Some children did not exit cleanly when the launcher stopped, so their in-flight work may be lost. @publicApi */
export class ChildrenLostError extends WorkersError {
  /** @param children one line per child: `web#2 (pid 4711) had to be killed 10000 ms after the stop request` */
  constructor(readonly children: readonly string[]) {
    super('WORKERS_CHILDREN_LOST', `some children did not exit cleanly: ${children.join('; ')}`);
  }
}
