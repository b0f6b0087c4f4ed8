/**
 * Reads a list of runs from stdin, does all at once, and prints one line of
 * JSON for each: its name, and what job gives back.
 * @param {(run: any) => Promise<object>} job
 */
export async function runs(job) {
  let input = ''
  for await (const chunk of process.stdin) input += chunk
  await Promise.all(JSON.parse(input).map(async (run) => {
    const told = await job(run).catch((error) => ({ failed: String(error?.stack ?? error) }))
    console.log(JSON.stringify({ name: run.name, ...told }))
  }))
}
