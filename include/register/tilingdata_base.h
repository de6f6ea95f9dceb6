/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Structs for the kernel, as the host side declares them: BEGIN_TILING_DATA_DEF ... END_TILING_DATA_DEF. The kernel's side
 * gets a plain struct with the same fields, which the build writes; the bytes are laid out as that one.
 */
#ifndef REGISTER_TILINGDATA_BASE_H
#define REGISTER_TILINGDATA_BASE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/types.h"

namespace optiling
{
class TilingDef;

/* A field: where it is in the object, and what it is for the kernel. */
struct TilingFieldInfo {
    const char *type, *name;
    ptrdiff_t at;                   /* from the beginning of the TilingDef */
    size_t bytes, alignment, count; /* of one element; how many: 0 for one that is no array */
    bool is_struct;
};

class TilingDef
{
  public:
    explicit TilingDef(const char *type) : class_name(type)
    {
    }
    virtual ~TilingDef() = default;

    size_t GetDataSize() const
    {
        return whole(end_of(), 8);
    }
    /* Nothing is written where there is no room for all. */
    void SaveToBuffer(void *to, size_t room) const
    {
        if (to == nullptr || GetDataSize() > room)
            return;
        std::memset(to, 0, GetDataSize());
        save(static_cast<unsigned char *>(to));
    }
    const char *GetTilingClassName() const
    {
        return class_name;
    }

    /* The struct for the kernel, behind those that it has as fields, each once. */
    std::string Source(std::map<std::string, bool> &done) const
    {
        std::string before, body;
        for (const TilingFieldInfo &field : fields) {
            if (field.is_struct)
                before += part(field).Source(done);
            body += std::string("    ") + field.type + " " + field.name;
            if (field.count != 0)
                body += "[" + std::to_string(field.count) + "]";
            body += ";\n";
        }
        if (done[class_name])
            return before;
        done[class_name] = true;
        return before + "struct alignas(8) " + class_name + " {\n" + body + "};\n";
    }

    void Enter(const char *type, const char *name, const void *field, size_t bytes, size_t alignment,
               size_t count, bool is_struct)
    {
        const ptrdiff_t at =
            static_cast<const char *>(field) - static_cast<const char *>(static_cast<const void *>(this));
        fields.push_back({type, name, at, bytes, alignment, count, is_struct});
    }

  private:
    static size_t whole(size_t bytes, size_t of)
    {
        return (bytes + of - 1) / of * of;
    }
    const void *place(const TilingFieldInfo &field) const
    {
        return static_cast<const char *>(static_cast<const void *>(this)) + field.at;
    }
    const TilingDef &part(const TilingFieldInfo &field) const
    {
        return *static_cast<const TilingDef *>(place(field));
    }
    size_t bytes_of(const TilingFieldInfo &field) const
    {
        return field.is_struct ? part(field).GetDataSize()
                               : field.bytes * (field.count != 0 ? field.count : 1);
    }
    size_t end_of() const
    {
        size_t at = 0;
        for (const TilingFieldInfo &field : fields)
            at = whole(at, field.alignment) + bytes_of(field);
        return at;
    }
    void save(unsigned char *to) const
    {
        size_t at = 0;
        for (const TilingFieldInfo &field : fields) {
            at = whole(at, field.alignment);
            if (field.is_struct)
                part(field).save(to + at);
            else
                std::memcpy(to + at, place(field), bytes_of(field));
            at += bytes_of(field);
        }
    }

    const char *class_name;
    std::vector<TilingFieldInfo> fields;
};

/* Enters a field when its object is made; a copy has those of the original. */
struct TilingFieldEntry {
    TilingFieldEntry(TilingDef *of, const char *type, const char *name, const void *field, size_t bytes,
                     size_t alignment, size_t count, bool is_struct)
    {
        of->Enter(type, name, field, bytes, alignment, count, is_struct);
    }
};

/* The structs of this library, by the names that they are registered for: an operator, or one of its keys. */
typedef std::shared_ptr<TilingDef> (*TilingMaker)();
struct TilingClass {
    std::string of;
    TilingMaker make;
};
__attribute__((visibility("hidden"))) inline std::vector<TilingClass> &tiling_classes()
{
    static std::vector<TilingClass> all;
    return all;
}
template <typename T> std::shared_ptr<TilingDef> make_tiling_class()
{
    return std::make_shared<T>();
}
struct __attribute__((visibility("hidden"))) TilingClassEntry {
    TilingClassEntry(const char *of, TilingMaker make)
    {
        tiling_classes().push_back({of, make});
    }
};
} // namespace optiling

#define BEGIN_TILING_DATA_DEF(type)           \
    class type : public ::optiling::TilingDef \
    {                                         \
      public:                                 \
        type() : ::optiling::TilingDef(#type) \
        {                                     \
        }

#define TILING_DATA_FIELD_DEF(type, name)                                                                    \
  public:                                                                                                    \
    void set_##name(type value)                                                                              \
    {                                                                                                        \
        belay_value_##name = value;                                                                          \
    }                                                                                                        \
    type get_##name() const                                                                                  \
    {                                                                                                        \
        return belay_value_##name;                                                                           \
    }                                                                                                        \
                                                                                                             \
  private:                                                                                                   \
    type belay_value_##name = 0;                                                                             \
    ::optiling::TilingFieldEntry belay_entry_##name{this,         #type,         #name, &belay_value_##name, \
                                                    sizeof(type), alignof(type), 0,     false};              \
                                                                                                             \
  public:

#define TILING_DATA_FIELD_DEF_ARR(type, length, name)                                                        \
  public:                                                                                                    \
    void set_##name(const type *values)                                                                      \
    {                                                                                                        \
        ::std::memcpy(belay_value_##name, values, sizeof belay_value_##name);                                \
    }                                                                                                        \
    type *get_##name()                                                                                       \
    {                                                                                                        \
        return belay_value_##name;                                                                           \
    }                                                                                                        \
                                                                                                             \
  private:                                                                                                   \
    type belay_value_##name[length] = {};                                                                    \
    ::optiling::TilingFieldEntry belay_entry_##name{this,         #type,         #name,  belay_value_##name, \
                                                    sizeof(type), alignof(type), length, false};             \
                                                                                                             \
  public:

#define TILING_DATA_FIELD_DEF_STRUCT(type, name)                                               \
  public:                                                                                      \
    type name;                                                                                 \
                                                                                               \
  private:                                                                                     \
    ::optiling::TilingFieldEntry belay_entry_##name{                                           \
        this, #type, #name, static_cast<const ::optiling::TilingDef *>(&name), 0, 8, 0, true}; \
                                                                                               \
  public:

#define END_TILING_DATA_DEF }

#define REGISTER_TILING_DATA_CLASS(op, type)                          \
    static ::optiling::TilingClassEntry belay_tiling_of_##op##_##type \
        __attribute__((unused)) (#op, ::optiling::make_tiling_class<type>);

#endif
