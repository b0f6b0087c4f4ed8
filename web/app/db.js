// The browser's database. The key and the journal live and die together in it:
// a phone that forgot what it started has no key to be asked again.

const NAME = 'nod'
const VERSION = 1

/** @type {Promise<IDBDatabase> | null} */
let opened = null
/** @type {(() => void) | null} */
let lost = null

/**
 * From here on the database must be there. One that is gone under the page (the
 * browser made room, or was told to) is not made anew: the key in memory would
 * go on without the journal it belongs to.
 * @param {() => void} call called once it is gone
 */
export function guard(call) {
  lost = call
}

/** @returns {Promise<IDBDatabase>} */
function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION)
    request.onupgradeneeded = () => {
      if (lost) return void request.transaction?.abort()
      request.result.createObjectStore('phone')
      request.result.createObjectStore('journal', { keyPath: 'call' })
    }
    request.onsuccess = () => {
      const db = request.result
      db.onversionchange = () => db.close()
      db.onclose = () => { // by the browser, not by this page: is it still there?
        opened = null
        if (lost) open().catch(() => {})
      }
      resolve(db)
    }
    request.onerror = () => {
      reject(request.error)
      if (request.error?.name === 'AbortError') lost?.()
      else opened = null // it may open the next time
    }
  })
  return opened
}

/**
 * Begins a transaction; once more where the browser has closed the database since.
 * @param {string[]} stores @param {IDBTransactionMode} mode
 */
async function begin(stores, mode) {
  const db = await open()
  try {
    return db.transaction(stores, mode, { durability: 'strict' })
  } catch (e) {
    if (!(e instanceof DOMException) || e.name !== 'InvalidStateError') throw e
    opened = null
    return (await open()).transaction(stores, mode, { durability: 'strict' })
  }
}

/**
 * Runs one transaction and resolves when it is on disk ("strict").
 * @template T
 * @param {string} store
 * @param {IDBTransactionMode} mode
 * @param {(s: IDBObjectStore) => IDBRequest<T>} work
 * @returns {Promise<T>}
 */
export async function transact(store, mode, work) {
  const tx = await begin([store], mode)
  return new Promise((resolve, reject) => {
    const request = work(tx.objectStore(store))
    tx.oncomplete = () => resolve(request.result)
    tx.onabort = () => reject(tx.error ?? request.error)
  })
}

/** Forgets everything: key, pairing, journal, and what was chosen. */
export async function erase() {
  const tx = await begin(['phone', 'journal'], 'readwrite')
  await new Promise((resolve, reject) => {
    tx.objectStore('phone').clear()
    tx.objectStore('journal').clear()
    tx.oncomplete = () => resolve(undefined)
    tx.onabort = () => reject(tx.error)
  })
}
