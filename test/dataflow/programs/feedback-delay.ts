import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  span,
} from '@roost/dataflow/core';
import { at, check, type Program } from './program.js';

const GOAL = 1024;

@DataflowNode()
class Plant {
  @Input() control!: InputPort<number>;
  @Output() sensor!: OutputPort<number>;
  #level = 0;
  #controls = 0;

  @OnTimer({ period: span.ms(10) })
  measure(): void {
    this.sensor.set(this.#level);
  }

  @Reaction('control', { writes: [] })
  move({ now }: NodeContext): void {
    check('the tag of a control', now, at(span.ms(10 * this.#controls++ + 5)));
    this.#level += this.control.value!;
  }

  @OnShutdown()
  end(): void {
    // No control until the goal is known, at 20 ms. Then half of the remaining distance, eight times.
    check('the level', this.#level, GOAL - GOAL / 2 ** 8);
  }
}

@DataflowNode()
class Controller {
  @Input() sensor!: InputPort<number>;
  @Input({ retain: true }) plan!: InputPort<number>;
  @Output() control!: OutputPort<number>;
  @Output() request!: OutputPort<number>;

  @Reaction('sensor', { reads: ['plan'] })
  decide(): void {
    const level = this.sensor.value!;
    this.request.set(level);
    this.control.set(this.plan.value === undefined ? 0 : (this.plan.value - level) / 2);
  }
}

@DataflowNode()
class Planner {
  @Input() request!: InputPort<number>;
  @Output() plan!: OutputPort<number>;

  @Reaction('request')
  async think(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.plan.set(GOAL);
  }
}

/** Two loops, each closed by a delay: a control returns after 5 ms, a plan after 20 ms. */
export const feedbackDelay: Program = {
  name: 'FeedbackDelay',
  graph: (g) => {
    const [plant, controller, planner] = [g.node(Plant), g.node(Controller), g.node(Planner)];
    g.connect(plant.sensor, controller.sensor);
    g.connect(controller.control, plant.control, { after: span.ms(5) });
    g.connect(controller.request, planner.request);
    g.connect(planner.plan, controller.plan, { after: span.ms(20) });
  },
  options: { fast: true, timeout: span.ms(99) },
  processes: { one: ['plant'], two: ['controller'], three: ['planner'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.ms(99)), firings: { plant: 21, controller: 10, planner: 10 } },
};
