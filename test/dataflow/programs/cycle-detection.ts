import {
  DataflowNode,
  Input,
  InputPort,
  OnShutdown,
  OnStart,
  Output,
  OutputPort,
  Reaction,
} from '@roost/dataflow/core';
import { at, check, type Program } from './program.js';

@DataflowNode()
class User {
  @Input() balance!: InputPort<number>;
  @Output() deposit!: OutputPort<number>;
  #answers = 0;

  @OnStart()
  start(): void {
    this.deposit.set(100);
  }

  @Reaction('balance', { writes: [] })
  hear(): void {
    check('the balance', this.balance.value, 100);
    this.#answers++;
  }

  @OnShutdown()
  end(): void {
    check('how many answers', this.#answers, 1);
  }
}

@DataflowNode()
class Account {
  @Input() update!: InputPort<number>;
  @Input() query!: InputPort<number>;
  @Output() response!: OutputPort<number>;
  #balance = 0;

  @Reaction('update', { writes: [] })
  change(): void {
    this.#balance += this.update.value!;
  }

  @Reaction('query')
  answer(): void {
    this.response.set(this.#balance);
  }
}

@DataflowNode()
class Auditor {
  @Input() in!: InputPort<number>;

  @Reaction('in')
  take(): void {
    check('the audited balance', this.in.value, 100);
  }
}

/** A question is answered at its own tag: a cycle of nodes that is not a cycle of reactions. */
export const cycleDetection: Program = {
  name: 'CycleDetection',
  graph: (g) => {
    const [user, account, auditor] = [g.node(User), g.node(Account), g.node(Auditor)];
    g.connect(user.deposit, account.update);
    g.connect(user.deposit, account.query);
    g.connect(account.response, user.balance);
    g.connect(account.response, auditor.in);
  },
  options: { fast: true },
  processes: { left: ['user', 'account'], right: ['auditor'] },
  isDeterministic: true,
  expected: { status: 'completed', stopTag: at(0, 1), firings: { user: 3, account: 2, auditor: 1 } },
};
