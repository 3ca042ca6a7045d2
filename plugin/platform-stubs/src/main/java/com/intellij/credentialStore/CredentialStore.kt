// Stands for platform/credential-store/src/credentialStore/CredentialStore.kt.
package com.intellij.credentialStore

public interface CredentialStore {
    public fun getPassword(attributes: CredentialAttributes): String? = throw UnsupportedOperationException()

    public fun setPassword(attributes: CredentialAttributes, password: String?): Unit =
        throw UnsupportedOperationException()
}
