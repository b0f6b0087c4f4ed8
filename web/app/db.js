// The browser's database. The key and the journal live and die together in it:
// a phone that forgot what it started has no key to be asked again.

const NAME = 'nod'
const VERSION = 1

/** @type {Promise<IDBDatabase> | null} */
let opened = null

/** @returns {Promise<IDBDatabase>} */
export function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION)
    request.onupgradeneeded = () => {
      request.result.createObjectStore('phone')
      request.result.createObjectStore('journal', { keyPath: 'call' })
    }
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close()
      resolve(request.result)
    }
    request.onerror = () => reject(request.error)
  })
  return opened
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
  const db = await open()
  return new Promise((resolve, reject) => {
    const tx = db.transaction(store, mode, { durability: 'strict' })
    const request = work(tx.objectStore(store))
    tx.oncomplete = () => resolve(request.result)
    tx.onabort = () => reject(tx.error ?? request.error)
  })
}

/** Forgets everything: key, pairing and journal. */
export async function erase() {
  const db = await open()
  await new Promise((resolve, reject) => {
    const tx = db.transaction(['phone', 'journal'], 'readwrite', { durability: 'strict' })
    tx.objectStore('phone').clear()
    tx.objectStore('journal').clear()
    tx.oncomplete = () => resolve(undefined)
    tx.onabort = () => reject(tx.error)
  })
}
