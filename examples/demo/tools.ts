import { defineTool } from "troupe";
import { z } from "zod";

const skies = [
  "sunny",
  "partly cloudy",
  "cloudy with bright spells",
  "rainy until noon, then clear",
  "clear and windy",
];

export const getWeather = defineTool({
  name: "get_weather",
  description: "Weather of a city, today and tomorrow (invented, but the same every time)",
  input: z.object({ city: z.string().min(1).describe("Name of the city") }),
  async execute({ city }, { session, signal }) {
    session.state.last_city = city;
    await pause(250, signal);
    const seed = [...city.toLowerCase()].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
    const celsius = 8 + (seed % 18);
    return {
      city,
      today: { sky: skies[seed % skies.length], celsius },
      tomorrow: { sky: skies[(seed + 2) % skies.length], celsius: celsius + (seed % 5) - 2 },
    };
  },
});

export const calculate = defineTool({
  name: "calculate",
  description: "Calculates an expression of numbers, + - * / and brackets",
  input: z.object({ expression: z.string().min(1).max(200).describe("For instance 3 * (40 + 2)") }),
  execute({ expression }) {
    const result = new Expression(expression).value();
    if (!Number.isFinite(result)) throw new Error("The result is not a number: is something divided by zero?");
    return { expression, result: Number(result.toPrecision(12)) };
  },
});

/** Evaluates an expression from left to right; products before sums. */
class Expression {
  readonly #tokens: string[];

  constructor(text: string) {
    this.#tokens = text.match(/\d+(?:\.\d+)?|[-+*/()]|\S/g) ?? [];
  }

  value(): number {
    const result = this.#sum();
    if (this.#tokens.length > 0) throw new Error(`"${this.#tokens[0]}" is not expected there.`);
    return result;
  }

  #sum(): number {
    let result = this.#product();
    while (this.#tokens[0] === "+" || this.#tokens[0] === "-") {
      result = this.#tokens.shift() === "+" ? result + this.#product() : result - this.#product();
    }
    return result;
  }

  #product(): number {
    let result = this.#factor();
    while (this.#tokens[0] === "*" || this.#tokens[0] === "/") {
      result = this.#tokens.shift() === "*" ? result * this.#factor() : result / this.#factor();
    }
    return result;
  }

  #factor(): number {
    const token = this.#tokens.shift();
    if (token === "-") return -this.#factor();
    if (token === "(") {
      const inner = this.#sum();
      if (this.#tokens.shift() !== ")") throw new Error("A bracket is not closed.");
      return inner;
    }
    const number = Number(token ?? "");
    if (token === undefined || Number.isNaN(number))
      throw new Error(`A number is expected, not "${token ?? "the end"}".`);
    return number;
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
