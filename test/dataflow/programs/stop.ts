import {
  compareTags,
  DataflowNode,
  formatTag,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnShutdown,
  OnStart,
  Output,
  OutputPort,
  Reaction,
  span,
  type Tag,
} from '@roost/dataflow/core';
import { at, check, msOf, type Program } from './program.js';

const MICROSTEPS = 10;
const ASKED_AT = at(span.ms(10), 8);

/** Number of messages with a tag up to this one. Every millisecond has one in each of its first microsteps. */
const sentUntil = (tag: Tag): number =>
  MICROSTEPS * Math.floor(msOf(tag)) + (msOf(tag) % 1 === 0 ? Math.min(tag.microstep + 1, MICROSTEPS) : MICROSTEPS);

@DataflowNode()
class Sender {
  @Output() out!: OutputPort<string>;
  @LogicalAction() next!: LogicalAction;
  #sent = 0;

  @OnStart()
  @Reaction('next')
  send({ now }: NodeContext): void {
    this.out.set(formatTag(now));
    this.next.schedule(now.microstep < MICROSTEPS - 1 ? span.ns(0) : span.ms(1));
    this.#sent++;
  }

  @OnShutdown()
  end({ now }: NodeContext): void {
    check('how many were sent until the stop', this.#sent, sentUntil(now));
  }
}

@DataflowNode()
class Consumer {
  @Input() in!: InputPort<string>;
  #received = 0;
  #hasEnded = false;

  @Reaction('in')
  take(ctx: NodeContext): void {
    check('the message', this.in.value, formatTag(ctx.now));
    check('whether it arrived after the end', this.#hasEnded, false);
    this.#received++;
    if (compareTags(ctx.now, ASKED_AT) === 0) ctx.requestShutdown();
  }

  @OnShutdown()
  end({ now }: NodeContext): void {
    check('whether the stop is later than the request', compareTags(now, ASKED_AT) > 0, true);
    check('how many were received until the stop', this.#received, sentUntil(now));
    this.#hasEnded = true;
  }
}

/**
 * A node that requests a stop at (10 ms, 8) gets it at (10 ms, 9), unless another process is ahead. The reactions of
 * that tag run, then the shutdown reactions, and nothing later.
 */
export const stop: Program = {
  name: 'Stop',
  graph: (g) => {
    const [sender, consumer] = [g.node(Sender), g.node(Consumer)];
    g.connect(sender.out, consumer.in);
  },
  options: { fast: true },
  processes: { left: ['sender'], right: ['consumer'] },
  isDeterministic: false,
  expected: { status: 'stopped', firings: {} },
  embedded: { status: 'stopped', stopTag: at(span.ms(10), 9), firings: { sender: 111, consumer: 111 } },
};
